export { type Database, type DatabaseAddress, type DatabaseOptions, openDatabase } from './connection.ts'
export { isId, type NewId, newId } from './ids.ts'
export type { ProjectDb } from './project-db.ts'
export type { Tables } from './tables.ts'
