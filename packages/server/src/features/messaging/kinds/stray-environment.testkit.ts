/** Variables that clients read to learn where requests go and with which credentials: all say a server at a port. */
export function strayEnvironment(port: number): Record<string, string> {
  const [host, url] = [`127.0.0.1:${port}`, `http://127.0.0.1:${port}`]
  const proxies = ['http_proxy', 'https_proxy', 'all_proxy', 'grpc_proxy'].flatMap((name) => [name, name.toUpperCase()])
  const services = ['', '_S3', '_SQS', '_KINESIS', '_REDSHIFT_DATA', '_STS']
  const emulators = ['PUBSUB', 'STORAGE', 'BIGQUERY', 'DATASTORE', 'FIRESTORE']
  return {
    ...valuesOf(proxies, url),
    ...valuesOf(['no_proxy', 'NO_PROXY'], ''),
    ...valuesOf(
      services.map((name) => `AWS_ENDPOINT_URL${name}`),
      url,
    ),
    AWS_EC2_METADATA_SERVICE_ENDPOINT: url,
    AWS_CONTAINER_CREDENTIALS_FULL_URI: url,
    AWS_ACCESS_KEY_ID: 'AKIAOFTHEENVIRONMENT',
    AWS_SECRET_ACCESS_KEY: 'of-the-environment',
    AWS_SESSION_TOKEN: 'of-the-environment',
    AWS_REGION: 'xx-stray-1',
    AWS_USE_FIPS_ENDPOINT: 'true',
    AWS_USE_DUALSTACK_ENDPOINT: 'true',
    AWS_SDK_UA_APP_ID: 'stray',
    AWS_EXECUTION_ENV: 'stray',
    AWS_LAMBDA_FUNCTION_NAME: 'stray',
    _X_AMZN_TRACE_ID: 'Root=1-stray',
    // No valid values: a client that reads them fails.
    ...valuesOf(['AWS_MAX_ATTEMPTS', 'AWS_ACCOUNT_ID_ENDPOINT_MODE', 'AWS_DISABLE_CLOCK_SKEW_CORRECTION'], 'stray'),
    ...valuesOf(
      emulators.map((name) => `${name}_EMULATOR_HOST`),
      host,
    ),
    GCE_METADATA_HOST: host,
    GCE_METADATA_IP: host,
    GOOGLE_APPLICATION_CREDENTIALS: '/nonexistent/credentials.json',
    GOOGLE_CLOUD_PROJECT: 'stray',
    GCLOUD_PROJECT: 'stray',
    GOOGLE_API_USE_MTLS_ENDPOINT: 'always',
    GOOGLE_CLOUD_UNIVERSE_DOMAIN: 'stray.example.com',
    AZURE_AUTHORITY_HOST: url,
    AZURE_TENANT_ID: 'stray',
    AZURE_CLIENT_ID: 'stray',
    AZURE_CLIENT_SECRET: 'stray',
    AZURE_STORAGE_CONNECTION_STRING: `BlobEndpoint=${url}`,
    CLICKHOUSE_URL: url,
    REDIS_URL: `redis://${host}`,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: 'stray',
    PGPASSWORD: 'stray',
    PGDATABASE: 'stray',
    MYSQL_HOST: '127.0.0.1',
    MYSQL_TCP_PORT: String(port),
  }
}

function valuesOf(names: readonly string[], value: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, value]))
}
