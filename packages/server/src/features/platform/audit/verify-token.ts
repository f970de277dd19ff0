/** Pattern of a token, for the schema of the endpoints. */
export const verifyTokenPattern = '^(seals\\.\\d{1,15}\\.\\d{1,15}\\.[0-9a-f]{64}|entries\\.[0-9a-f-]{36})$'
