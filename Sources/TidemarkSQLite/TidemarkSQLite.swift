// TidemarkSQLite
