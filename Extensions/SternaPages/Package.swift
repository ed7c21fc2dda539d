// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let sterna: Target.Dependency = .product(name: "Sterna", package: "sterna")
let sternaTesting: Target.Dependency = .product(name: "SternaTesting", package: "sterna")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

// A package of its own, so that only programs which save pages need libxml2.
let package = Package(
    name: "sterna-pages",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "SternaPages", targets: ["SternaPages"]),
        .executable(name: "tern-page", targets: ["TernPage"]),
    ],
    dependencies: [
        .package(name: "sterna", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .systemLibrary(name: "CSternaLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .target(name: "CSternaHTML", dependencies: ["CSternaLibXML2"]),
        .target(name: "SternaPages", dependencies: [sterna, "CSternaHTML", nioCore, httpTypes], swiftSettings: strict),
        .executableTarget(
            name: "TernPage", dependencies: ["SternaPages", sterna, nioCore, httpTypes, argumentParser],
            swiftSettings: strict),
        // The root's MutationKit, which is no product, by a symbolic link.
        .target(name: "PageMutations", dependencies: [sterna], path: "Tests/MutationKit", swiftSettings: strict),
        .testTarget(
            name: "SternaPagesTests",
            dependencies: ["SternaPages", "TernPage", "PageMutations", sterna, sternaTesting, nioCore, httpTypes],
            swiftSettings: strict),
    ]
)
