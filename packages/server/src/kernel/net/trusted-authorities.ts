import { rootCertificates } from 'node:tls'

/** The certificate authorities that Node.js trusts, as PEM. */
export const trustedAuthorities: readonly string[] = rootCertificates
