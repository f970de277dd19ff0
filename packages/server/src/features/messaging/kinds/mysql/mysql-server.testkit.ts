import { createConnection } from 'mysql2/promise'

/** The MySQL or MariaDB for tests: `MORTISE_TEST_MYSQL`, or that of this machine. */
export const serverUrl = process.env['MORTISE_TEST_MYSQL'] ?? 'mysql://root@127.0.0.1:3306/'

/** Whether this machine has a MySQL to test with. `MORTISE_REQUIRE_MYSQL=1` requires one. */
export async function hasMysqlServer(): Promise<boolean> {
  try {
    const connection = await createConnection({ uri: serverUrl, connectTimeout: 5_000 })
    await connection.end()
    return true
  } catch (error) {
    if (process.env['MORTISE_REQUIRE_MYSQL'] === '1') throw new Error('there is no MySQL', { cause: error })
    console.warn('Tests with a real MySQL are skipped: start one, or set MORTISE_TEST_MYSQL.')
    return false
  }
}
