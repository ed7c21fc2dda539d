import SternaCore

/// What a peer did wrong. It is trivial, so that frames without a fault do not pay for the texts.
enum WebSocketViolation: Error {
    case reservedBits, compressedBit, opcode(UInt8), unmasked, masked, length
    case fragmentedControl, longControl, noMessage, openMessage
    case closeOfOneByte, closeCode(UInt16), closeReason, text, compression, noMemory
    case frameLimit, messageLimit, codedLimit, fragmentLimit, controlLimit

    func fault(_ limits: WebSocketLimits) -> WebSocketFault { WebSocketFault(code: code, detail: detail(limits)) }

    private var code: UInt16 {
        switch self {
        case .closeReason, .text, .compression: 1007
        case .fragmentLimit, .controlLimit: 1008
        case .frameLimit, .messageLimit, .codedLimit: 1009
        case .noMemory: 1011
        default: 1002
        }
    }

    private func detail(_ limits: WebSocketLimits) -> String {
        let message = ByteSize(Int64(limits.messageBytes ?? 0))
        return switch self {
        case .reservedBits: "The peer sent a frame with a reserved bit that no agreed extension uses."
        case .compressedBit:
            "The peer marked a frame as compressed that is not the first of a message, or without an agreement."
        case .opcode(let number): "The peer sent a frame of the unknown kind \(number)."
        case .unmasked: "The client sent a frame without a mask."
        case .masked: "The server sent a frame with a mask."
        case .length: "The peer sent a frame's length in an invalid form."
        case .fragmentedControl: "The peer sent a control frame in fragments."
        case .longControl: "The peer sent a control frame of more than 125 bytes."
        case .noMessage: "The peer continued a message that it had not begun."
        case .openMessage: "The peer began a message before the end of another."
        case .closeOfOneByte: "The peer sent a close frame with half a code."
        case .closeCode(let code): "The peer sent a close frame with the code \(code), which is not for sending."
        case .closeReason: "The peer sent a close frame whose reason is not UTF-8."
        case .text: "The peer sent a text that is not UTF-8."
        case .compression: "The peer sent a message whose compressed bytes are damaged."
        case .noMemory: "The decompressor could not be created."
        case .frameLimit: "The peer sent a frame of more than \(ByteSize(Int64(limits.frameBytes))), the limit."
        case .messageLimit: "The peer sent a message of more than \(message), the limit."
        case .codedLimit:
            "The peer sent a compressed message that is far longer than \(message), the limit of its content."
        case .fragmentLimit: "The peer sent a message in more than \(limits.fragmentCount) frames, the limit."
        case .controlLimit:
            "The peer sent more than \(limits.controlFrameCount) control frames within \(limits.controlFramePeriod), "
                + "the limit."
        }
    }
}
