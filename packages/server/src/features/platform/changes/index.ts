import { streamChanges } from './endpoints/stream-changes.ts'

export { type ChangePublisher, createChangePublisher } from './change-publisher.ts'
export { publishCounted } from './publish-counted.ts'

export const changesEndpoints = [streamChanges]
