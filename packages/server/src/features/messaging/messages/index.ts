import { discardDeadLetters } from './endpoints/discard-dead-letters.ts'
import { getDeadLetter } from './endpoints/get-dead-letter.ts'
import { getMessage } from './endpoints/get-message.ts'
import { getMessageReplay } from './endpoints/get-message-replay.ts'
import { getResult } from './endpoints/get-result.ts'
import { listDeadLetters } from './endpoints/list-dead-letters.ts'
import { listMessageAttempts } from './endpoints/list-message-attempts.ts'
import { listMessages } from './endpoints/list-messages.ts'
import { redriveDeadLetters } from './endpoints/redrive-dead-letters.ts'
import { replayMessages } from './endpoints/replay-messages.ts'
import { streamMessages } from './endpoints/stream-messages.ts'
import { updateDeadLetter } from './endpoints/update-dead-letter.ts'
import { replayMessagesHandler } from './jobs/replay-messages.ts'

export { countOrphans, countWaiting } from './backlog-store.ts'
export {
  type CutLimits,
  type CutMessage,
  cutDataMessages,
  type DataMessageHeader,
  messageBytesMax,
  type NewMessage,
} from './data-message.ts'
export { dataMessageSchema, fieldChanges, schemaWatchMessageSchema, WatchedField } from './data-message-schema.ts'
export { findDueDestinations, findReattachable, orphanMessages, reattachOrphans } from './due-store.ts'
export { type ErasedMessages, eraseLateMessages, eraseMessages } from './erase-store.ts'
export { type AddedRun, Handover, type HandoverRun, type Reservation } from './handover.ts'
export {
  type ClaimedMessage,
  claimMessages,
  isCollected,
  renewLeases,
  type SettledAttempts,
  type Settlement,
  settleMessages,
  settlementOf,
} from './lease-store.ts'
export { type MessageFilter, messagesQuery } from './message-list-store.ts'
export type { Message, MessageAttempt } from './message-model.ts'
export { createMessageShares, type MessageShares } from './message-shares.ts'
export {
  findMessageResult,
  findMessageResultBytes,
  findMessageResultPart,
  findMessagesKeptFrom,
  insertMessages,
} from './message-store.ts'
export { type KeptMessage, outgoingBody } from './outgoing.ts'
export { partUrl } from './part-urls.ts'
export { messagesTicks, pollReplays } from './poll-replays.ts'
export { type PostingServices, postMessages } from './post-messages.ts'
export { postMessagesWith } from './post-with.ts'
export { hasEntries } from './record-entries.ts'
export { replay } from './replay.ts'
export type { MessageReplay } from './replay-model.ts'
export { type GroupedMessage, routeMessages } from './route-store.ts'
export { claimInOrder, type Sequence } from './sequence-store.ts'
export { insertSplit, lockLeased, type SplitRecords } from './split-store.ts'
export { spreadMessages } from './spread-store.ts'
export { messagesTopic } from './topic.ts'

export const messagesEndpoints = [
  listMessages,
  streamMessages,
  getMessage,
  listMessageAttempts,
  replayMessages,
  getMessageReplay,
  getResult,
  listDeadLetters,
  getDeadLetter,
  updateDeadLetter,
  redriveDeadLetters,
  discardDeadLetters,
]

export const messagesJobs = [replayMessagesHandler]
