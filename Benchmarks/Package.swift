// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        // As a small client is deployed: FoundationEssentials is enough.
        .package(name: "sterna", path: "..", traits: []),
        .package(name: "kit", path: "Kit"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.7.3"),
    ],
    targets: [
        .executableTarget(
            name: "SternaClient",
            dependencies: [
                .product(name: "Sterna", package: "sterna"), .product(name: "SternaSigning", package: "sterna"),
                .product(name: "BenchKit", package: "kit"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        // A program of its own, so that the client is not larger for what it does not use.
        .executableTarget(
            name: "Observing",
            dependencies: [
                .product(name: "Sterna", package: "sterna"), .product(name: "SternaTracing", package: "sterna"),
                .product(name: "SternaMetrics", package: "sterna"), .product(name: "SternaRecorder", package: "sterna"),
                .product(name: "BenchKit", package: "kit"), .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Pool",
            dependencies: [
                .product(name: "Sterna", package: "sterna"), .product(name: "BenchKit", package: "kit"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ], swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Held", dependencies: [.product(name: "Sterna", package: "sterna")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Serialization", dependencies: [.product(name: "Sterna", package: "sterna")],
            swiftSettings: [.swiftLanguageMode(.v6)]),
        .executableTarget(
            name: "Trust",
            dependencies: [
                .product(name: "Sterna", package: "sterna"), .product(name: "SternaTesting", package: "sterna"),
            ], swiftSettings: [.swiftLanguageMode(.v6)]),
    ]
)
