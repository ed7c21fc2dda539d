/// The colours used, by their SGR parameters (ECMA-48, 8.3.117).
enum Colour: String {
    case red = "31"
    case green = "32"
    case yellow = "33"
    case blue = "34"
    case magenta = "35"
    case cyan = "36"
    case bold = "1"
    case dim = "2"

    /// Returns the text in this colour, or unchanged.
    func wrap(_ text: String, if isColoured: Bool = true) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }

    /// Returns the colour of a status code: success, redirect, client error or server error.
    static func ofStatus(_ code: Int) -> Colour {
        switch code {
        case 200..<300: green
        case 300..<400: cyan
        case 400..<500: yellow
        case 500...: red
        default: blue
        }
    }
}
