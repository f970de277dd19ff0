/** Whether the credential of a connection works, as last known. */
export type ConnectionStatus = 'created' | 'working' | 'bad_credentials'
