//! A server that is there already, behind an address.

use std::collections::HashMap;

use reqwest::{
    Url,
    header::{HeaderName, HeaderValue},
};
use rmcp::{
    service::ClientServiceExt,
    transport::{
        StreamableHttpClientTransport, streamable_http_client::StreamableHttpClientTransportConfig,
    },
};

use super::error::Unlisted;
use crate::{
    mcp::{Connection, lifecycle, me},
    web,
};

/// Speaks with it, with these headers in every request. What is wrong with an address or a header
/// is told at once, and never with the header's value, which may be secret.
pub fn connect(
    url: &str,
    headers: &[(String, String)],
) -> Result<impl Future<Output = Result<Connection, Unlisted>>, String> {
    let parsed = Url::parse(url).map_err(|error| format!("`{url}` is not an address: {error}"))?;
    let http = web::client(&parsed)?;
    let mut custom = HashMap::new();
    for (name, value) in headers {
        let header = HeaderName::try_from(name.as_str())
            .map_err(|_| format!("`{name}` is not the name of a header"))?;
        let mut value = HeaderValue::from_str(value)
            .map_err(|_| format!("the value of `{name}` has characters that no header has"))?;
        value.set_sensitive(true);
        custom.insert(header, value);
    }
    let config = StreamableHttpClientTransportConfig::with_uri(url).custom_headers(custom);
    Ok(async move {
        let transport = StreamableHttpClientTransport::with_client(http, config);
        let connected = me().serve_with_lifecycle(transport, lifecycle()).await;
        connected.map_err(Unlisted::from)
    })
}
