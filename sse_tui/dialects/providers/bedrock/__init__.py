"""Amazon Bedrock's streams, whose events come in AWS event stream frames."""
