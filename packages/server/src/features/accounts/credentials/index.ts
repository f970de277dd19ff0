export type { AuthorizationServer, OwnClient } from './authorization-server.ts'
export {
  type CustomCredential,
  credentialExpiry,
  encryptCredential,
  type MachineGrant,
  needsRenewal,
  type OAuth2Credential,
  openCredential,
  type StoredCredential,
  type StoredToken,
  usableCredential,
} from './credential.ts'
export { customCredential } from './custom-credential.ts'
export { hasNeededScopes, listNeededScopes, needScopes } from './needed-scopes.ts'
export { dispatchRenewals, lockCredential, planRenewal, storeFailure, storeRenewed } from './renewal-store.ts'
export { findSigningSecret } from './signing-secret.ts'
export {
  advanceGeneration,
  type CredentialRow,
  credentialColumns,
  credentialGeneration,
  credentialInsert,
  credentialValues,
  deleteCredentials,
  upsertCredential,
} from './store.ts'
