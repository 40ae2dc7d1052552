-- Which schedule a message comes of.
CREATE INDEX schedule_fires_of_message ON schedule_fires (reason) WHERE outcome = 'ran';
