export { andIf } from './and-if.ts'
export { type Batched, createBatches } from './batches.ts'
export { byteaArray, intArray, textArray } from './binary-array.ts'
export { type Database, type DatabaseOptions, openDatabase, refuseOldServer } from './connection.ts'
export { connectionConfig, type DatabaseAddress } from './connection-config.ts'
export { firstIdAt, isId, type NewId, newId, timeOfId } from './ids.ts'
export {
  checkEncryptionKeys,
  type EncryptionKeyState,
  encryptionKeysInUse,
  followEncryptionKeys,
  MissingEncryptionKey,
  type ProcessKeys,
} from './known-encryption-keys.ts'
export { knownMigrations, migrate } from './migrate.ts'
export { type OwnerSession, openOwnerSession } from './owner-session.ts'
export { SessionsNotKept } from './pooler.ts'
export { prepared } from './prepared.ts'
export type { ProjectDb } from './project-db.ts'
export { provision } from './provision.ts'
export { grantQueue, grantRoles, prepareRoles, systemRole } from './roles.ts'
export { sessionSettings } from './session-settings.ts'
export type { Tables } from './tables.ts'
