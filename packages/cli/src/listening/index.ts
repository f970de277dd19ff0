export { forwardUrl } from './forward.ts'
export { idBefore, type StreamedMessage } from './listen.ts'
export { contentsOf, receivedLine } from './message-text.ts'
export { type Received, forwardMessages } from './forward-messages.ts'
