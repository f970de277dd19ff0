export { givenRecords } from './given-records.ts'
export { outcomesOf } from './outcomes.ts'
export { sendWrite, writeRequests } from './write-requests.ts'
