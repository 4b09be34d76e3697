// TidemarkHTTP
