import { createApiKey } from './endpoints/create-api-key.ts'
import { createJWTKey } from './endpoints/create-jwt-key.ts'
import { deleteApiKey } from './endpoints/delete-api-key.ts'
import { deleteJWTKey } from './endpoints/delete-jwt-key.ts'
import { getApiKey } from './endpoints/get-api-key.ts'
import { getJWTKey } from './endpoints/get-jwt-key.ts'
import { listApiKeys } from './endpoints/list-api-keys.ts'
import { listJWTKeys } from './endpoints/list-jwt-keys.ts'
import { updateApiKey } from './endpoints/update-api-key.ts'
import { updateJWTKey } from './endpoints/update-jwt-key.ts'

export { agentTokenPrefix, connectTokenPrefix, createAuthenticate } from './authenticate.ts'
export { BootstrapKeyUnusable, type BootstrapOptions, type Bootstrapped, bootstrap } from './bootstrap.ts'
export { createConsumerTokens } from './consumer-token.ts'
export { createKeyLookup, type FindIdentity, type KeyLookup } from './key-lookup.ts'

export const accessEndpoints = [
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
