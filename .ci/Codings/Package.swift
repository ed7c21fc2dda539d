// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .define("Brotli"),
    .define("Zstd"),
]

let serialization: Target.Dependency = .product(name: "_SternaSerialization", package: "sterna")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")

// The tests of the codings that are behind traits. With the traits on, all modules would be built once more for a second test program
// of the root; this package builds the serialization alone. Its files are the root's, by a link.
let package = Package(
    name: "codings",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "sterna", path: "../..", traits: ["Brotli", "Zstd"]),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    ],
    targets: [
        .target(
            name: "MutationKit", dependencies: [serialization], path: "Tests/MutationKit",
            swiftSettings: strict + [.unsafeFlags(["-O"])]),
        .testTarget(
            name: "SternaTestSupport", dependencies: ["MutationKit", serialization, nioCore],
            path: "Tests/SternaTestSupport",
            exclude: [
                "Authentication", "Bytes", "Cache", "Calls", "Events", "Network", "Tasks", "Waiting",
                "Expectations/StoredProperties.swift", "Files/Downloading.swift", "Files/OpenDescriptors.swift",
                "Files/RangedFile.swift", "Files/TemporaryPhoto.swift", "Random/LongTests.swift",
            ],
            sources: ["Expectations/Expect.swift", "Random/SeededRandom.swift", "Files/ShellRun.swift"],
            swiftSettings: strict + [.unsafeFlags(["-O"])]),
        .testTarget(
            name: "CodingTests", dependencies: ["SternaTestSupport", serialization, nioCore, httpTypes],
            path: "Tests/SternaSerializationTests/Codings", swiftSettings: strict),
        .testTarget(
            name: "CodingMutationTests", dependencies: ["SternaTestSupport", "MutationKit", serialization, nioCore],
            path: "Tests/SternaMutationTests/Codings", swiftSettings: strict),
    ]
)
