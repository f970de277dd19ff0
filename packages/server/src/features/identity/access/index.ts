import { createApiKey } from './operations/create-api-key.ts'
import { createJWTKey } from './operations/create-jwt-key.ts'
import { deleteApiKey } from './operations/delete-api-key.ts'
import { deleteJWTKey } from './operations/delete-jwt-key.ts'
import { getApiKey } from './operations/get-api-key.ts'
import { getJWTKey } from './operations/get-jwt-key.ts'
import { listApiKeys } from './operations/list-api-keys.ts'
import { listJWTKeys } from './operations/list-jwt-keys.ts'
import { updateApiKey } from './operations/update-api-key.ts'
import { updateJWTKey } from './operations/update-jwt-key.ts'

export { createAuthenticate } from './authenticate.ts'
export { BootstrapKeyUnusable, type BootstrapOptions, type Bootstrapped, bootstrap } from './bootstrap.ts'
export { createConsumerTokens } from './consumer-token.ts'
export { createKeyLookup, type FindIdentity, type KeyLookup, type RememberingLookup } from './key-lookup.ts'

export const accessOperations = [
  listApiKeys,
  createApiKey,
  getApiKey,
  updateApiKey,
  deleteApiKey,
  listJWTKeys,
  createJWTKey,
  getJWTKey,
  updateJWTKey,
  deleteJWTKey,
]
