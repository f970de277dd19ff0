/**
 * Every column that holds encrypted values, and what the values are bound to. Rotation, counts and the refusal of
 * retired keys work on this list; `encrypted-columns.test.ts` compares it with the schema, so that none is forgotten.
 */
export interface EncryptedColumn {
  table: string
  column: string
  /** SQL expression of the id of the row, as the code that encrypts it writes it. */
  row: string
  /** SQL expression of the project; `project_id` when absent. */
  project?: string
  /** `list`: JSON, `[{ "encrypted": … }]`. */
  shape?: 'list'
  /** The column that the values were encrypted for, where they were moved. */
  boundTo?: string
  /** The table that the values were encrypted for, where they were moved. */
  boundToTable?: string
}

const bytes = (column: string) => `encode(${column}, 'hex')`

export const encryptedColumns: readonly EncryptedColumn[] = [
  { table: 'api_keys', column: 'encrypted', row: 'id' },
  { table: 'approvals', column: 'encrypted_call', row: 'id' },
  { table: 'approvals', column: 'encrypted_result', row: 'id' },
  {
    table: 'builder_idempotency_keys',
    column: 'encrypted_answer',
    row: bytes('id'),
    project: `''`,
    boundToTable: 'idempotency_keys',
  },
  { table: 'client_registrations', column: 'encrypted', row: 'id' },
  { table: 'connect_sessions', column: 'encrypted', row: 'id' },
  { table: 'connection_credentials', column: 'encrypted', row: 'connection_id' },
  { table: 'custom_auth_sessions', column: 'encrypted', row: bytes('session_hash') },
  { table: 'destinations', column: 'encrypted_metadata', row: 'id' },
  { table: 'destinations', column: 'encrypted_secrets', row: 'id' },
  { table: 'destinations', column: 'previous_secrets', row: 'id', shape: 'list', boundTo: 'encrypted_secrets' },
  { table: 'factor_setups', column: 'encrypted', row: `builder_id || ' ' || kind`, project: `''` },
  { table: 'factors', column: 'encrypted_secret', row: 'id', project: `''` },
  { table: 'idempotency_keys', column: 'encrypted_answer', row: bytes('id') },
  { table: 'oauth_flows', column: 'encrypted', row: bytes('state_hash') },
  { table: 'offered_secrets', column: 'encrypted_secret', row: 'integration_id' },
  { table: 'provider_apps', column: 'encrypted_params', row: 'id' },
  { table: 'provider_apps', column: 'encrypted_secret', row: 'id' },
  { table: 'records', column: 'encrypted_content', row: `installation_id || ' ' || ${bytes('record_key')}` },
  { table: 'registrations', column: 'encrypted_secret', row: 'id' },
  { table: 'sign_in_flows', column: 'encrypted', row: bytes('state_hash'), project: `''` },
  { table: 'signing_keys', column: 'encrypted_private_jwk', row: 'id', project: `''` },
  { table: 'teardowns', column: 'encrypted', row: 'id' },
  { table: 'webhook_secrets', column: 'encrypted_secret', row: 'installation_id' },
  {
    table: 'webhook_secrets',
    column: 'previous_secrets',
    row: 'installation_id',
    shape: 'list',
    boundTo: 'encrypted_secret',
  },
  { table: 'write_items', column: 'encrypted', row: `operation_id || '/' || position` },
  { table: 'write_runs', column: 'encrypted_headers', row: 'operation_id' },
]

/** SQL condition: the column holds a value under another key than `$1`. */
export function underAnotherKey({ column, shape }: EncryptedColumn): string {
  return shape === 'list'
    ? `exists (select from jsonb_array_elements(${column}) as item where ${keyIdIn(`item ->> 'encrypted'`)} <> $1)`
    : `${keyIdIn(column)} <> $1`
}

/** SQL query: how many values of the column each key has, as `key_id` and `values`. */
export function countQuery({ table, column, shape }: EncryptedColumn): string {
  return shape === 'list'
    ? `select ${keyIdIn(`item ->> 'encrypted'`)} as key_id, count(*) as values
         from ${table}, jsonb_array_elements(${column}) as item group by 1`
    : `select ${keyIdIn(column)} as key_id, count(*) as values from ${table} where ${column} is not null group by 1`
}

/** Without fetching a long value whole. */
function keyIdIn(expression: string): string {
  return `split_part(left(${expression}, 12), '.', 2)`
}
