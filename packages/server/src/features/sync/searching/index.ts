import { searchRecords } from './endpoints/search-records.ts'

export { type LiveSearch, searchLive } from './search-live.ts'

export const searchingEndpoints = [searchRecords]
