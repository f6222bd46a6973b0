"""Text for people: what may be shown where (`safety`), and the nearest name to a mistyped one (`nearest`)."""
