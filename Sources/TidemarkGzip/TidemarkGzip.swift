// TidemarkGzip
