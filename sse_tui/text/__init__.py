"""Text for people: making it safe (`safety`), suggesting a name (`nearest`), counts in words (`wording`)."""
