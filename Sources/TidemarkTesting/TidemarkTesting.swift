// TidemarkTesting
