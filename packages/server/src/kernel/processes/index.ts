export { GroupCounts } from './group-counts.ts'
export { type GroupMessage, isGroupMessage, joinProcessGroup, type ProcessGroup } from './process-group.ts'
