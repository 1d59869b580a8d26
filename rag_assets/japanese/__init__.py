"""Pure functions over Japanese text. Nothing here knows a source, a chunk or Dagster."""
