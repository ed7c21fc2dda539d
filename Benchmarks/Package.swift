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
    ],
    targets: [
        .executableTarget(
            name: "SternaClient",
            dependencies: [
                .product(name: "Sterna", package: "sterna"), .product(name: "SternaSigning", package: "sterna"),
                .product(name: "BenchKit", package: "kit"),
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
