/// Writes the container of WebP files around encoded images.
enum WebPSample {
    private static func little(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }

    private static func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
        Array(name.utf8) + little(content.count, 4) + content + (content.count % 2 == 1 ? [0] : [])
    }

    private static func file(_ chunks: [UInt8]) -> [UInt8] {
        Array("RIFF".utf8) + little(chunks.count + 4, 4) + Array("WEBP".utf8) + chunks
    }

    private static func head(_ width: Int, _ height: Int, flags: UInt8) -> [UInt8] {
        chunk("VP8X", [flags, 0, 0, 0] + little(width - 1, 3) + little(height - 1, 3))
    }

    /// An image with a profile, and with EXIF data.
    static func extended(
        _ image: [UInt8], _ width: Int, _ height: Int, profile: [UInt8] = [], exif: [UInt8] = []
    ) -> [UInt8] {
        let flags: UInt8 = 0x10 | (profile.isEmpty ? 0 : 0x20) | (exif.isEmpty ? 0 : 0x08)
        return file(
            head(width, height, flags: flags) + (profile.isEmpty ? [] : chunk("ICCP", profile)) + image[12...]
                + (exif.isEmpty ? [] : chunk("EXIF", exif)))
    }

    /// An animation of images of the canvas's size.
    static func animation(
        _ images: [[UInt8]], _ width: Int, _ height: Int, delay: Int, loops: Int, profile: [UInt8] = []
    ) -> [UInt8] {
        let frames = images.flatMap { image in
            chunk(
                "ANMF",
                little(0, 6) + little(width - 1, 3) + little(height - 1, 3) + little(delay, 3) + [0x02] + image[12...])
        }
        return file(
            head(width, height, flags: 0x12 | (profile.isEmpty ? 0 : 0x20))
                + (profile.isEmpty ? [] : chunk("ICCP", profile)) + chunk("ANIM", [0, 0, 0, 0] + little(loops, 2))
                + frames)
    }
}
