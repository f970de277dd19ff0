import { streamChanges } from './endpoints/stream-changes.ts'

export { type ChangePublisher, createChangePublisher } from './change-publisher.ts'
export type { Change } from './model.ts'
export { publishCounted } from './publish-counted.ts'
export { changesTopic } from './topic.ts'

export const changesEndpoints = [streamChanges]
