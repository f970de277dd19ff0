import { isCustomComplete } from '../custom/custom-scheme.ts'
import type { Authentication } from './format/authentication.ts'

/** Whether this release can get the credential of this scheme and put it on a request. */
export function canAttach(scheme: Authentication): boolean {
  switch (scheme.scheme) {
    case 'none':
    case 'apiKey':
    case 'basic':
      return true
    case 'oauth2':
      return scheme.tokenUrl !== undefined || scheme.discover !== undefined
    case 'custom':
      return isCustomComplete(scheme)
  }
}
