import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testCertificate } from '../kernel/net/test-certificate.ts'

/**
 * Has gRPC clients of this process trust the certificate of tests. The library looks for the file when it is loaded:
 * whichever test of a worker loads it first.
 */
const path = join(mkdtempSync(join(tmpdir(), 'mortise-certificate-')), 'test.pem')
writeFileSync(path, testCertificate.cert)
process.env['GRPC_DEFAULT_SSL_ROOTS_FILE_PATH'] = path
