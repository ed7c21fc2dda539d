// swift-tools-version: 6.2
import PackageDescription

// A package of its own: with the traits on, the other benchmarks would measure another library, and need more of the machine.
let package = Package(
    name: "codings-benchmark",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "sterna", path: "../..", traits: ["Brotli", "Zstd"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "CodingsClient",
            dependencies: [
                .product(name: "_SternaSerialization", package: "sterna"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
