package conform

func writeReports(dir string, r *Result) ([]string, error) { return nil, nil }
