export { forwardUrl } from './forward.ts'
export { forwardMessages, type Received } from './forward-messages.ts'
export { type StreamedMessage, startBefore } from './listen.ts'
export { contentsOf, receivedLine } from './message-text.ts'
