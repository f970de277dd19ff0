export { outcomesOf } from './outcomes.ts'
export { readRecords } from './read-records.ts'
export { sendWrite, writeRequests } from './write-requests.ts'
