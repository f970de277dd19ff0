export { forwardUrl } from './forward.ts'
export { idBefore, type StreamedMessage } from './listen.ts'
export { contentsOf, heardLine } from './message-text.ts'
export { type Heard, relay } from './relay.ts'
