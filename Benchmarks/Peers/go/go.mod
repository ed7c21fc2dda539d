module benchmarks/peer

go 1.19
