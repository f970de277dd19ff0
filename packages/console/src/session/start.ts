import { token } from './session.ts'

// Imported first, so that the token is on its way while the browser reads the other scripts. What fails here fails
// again where the token is needed.
token().catch(() => undefined)
