import { searchRecords } from './operations/search-records.ts'

export const searchingOperations = [searchRecords]
