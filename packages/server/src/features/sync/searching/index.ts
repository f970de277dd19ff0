import { searchRecords } from './endpoints/search-records.ts'

export const searchingEndpoints = [searchRecords]
