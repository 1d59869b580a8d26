"""What all AWS services have in common: what their errors mean, and how calls are retried."""
