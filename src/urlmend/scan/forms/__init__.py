"""What is found on request: hosts without a scheme, and mail addresses. Each has its triggers, and tells extents."""
