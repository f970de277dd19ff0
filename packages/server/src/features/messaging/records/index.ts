import { listRecordObjects } from './endpoints/list-record-objects.ts'
import { listRecords } from './endpoints/list-records.ts'

export { recordsTicks } from './clean.ts'
export { storeRecords } from './record-writer.ts'
export { eraseRecords, insertRemovals } from './store.ts'
export { syncRecordStore } from './sync-store.ts'

export const recordsEndpoints = [listRecordObjects, listRecords]
