// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

let sterna: Target.Dependency = .product(name: "Sterna", package: "sterna")
let sternaImages: Target.Dependency = .product(name: "SternaImages", package: "sterna")
let sternaTesting: Target.Dependency = .product(name: "SternaTesting", package: "sterna")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")

// A package of its own, so that only programs which show images need their libraries.
let package = Package(
    name: "sterna-image-codecs",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [.library(name: "SternaImageCodecs", targets: ["SternaImageCodecs"])],
    dependencies: [
        .package(name: "sterna", path: "../.."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .systemLibrary(name: "CSternaLibPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CSternaLibJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"])]),
        .systemLibrary(name: "CSternaLibWebP", pkgConfig: "libwebpdemux", providers: [.apt(["libwebp-dev"])]),
        .systemLibrary(name: "CSternaLibGIF", pkgConfig: "libgif", providers: [.apt(["libgif-dev"])]),
        .systemLibrary(name: "CSternaLibLCMS", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"])]),
        .target(
            name: "CSternaCodecs",
            dependencies: ["CSternaLibPNG", "CSternaLibJPEG", "CSternaLibWebP", "CSternaLibGIF", "CSternaLibLCMS"]),
        .target(
            name: "SternaImageCodecs", dependencies: [sternaImages, sterna, "CSternaCodecs", nioCore],
            swiftSettings: strict),
        // The root's MutationKit, which is no product, by a symbolic link.
        .target(name: "CodecMutations", dependencies: [sterna], path: "Tests/MutationKit", swiftSettings: strict),
        // Makes files with the libraries' own encoders.
        .target(
            name: "CCodecSamples", dependencies: ["CSternaLibJPEG", "CSternaLibWebP", "CSternaLibLCMS"],
            path: "Tests/CCodecSamples"),
        .executableTarget(
            name: "DecodingCost", dependencies: ["SternaImageCodecs", "CCodecSamples", sternaImages, sterna],
            path: "Benchmarks/DecodingCost", swiftSettings: strict),
        .testTarget(
            name: "SternaImageCodecsTests",
            dependencies: [
                "SternaImageCodecs", "CodecMutations", "CCodecSamples", sternaImages, sterna, sternaTesting, nioCore,
            ],
            swiftSettings: strict),
    ]
)
