mod numbers;
mod times;
mod words;
