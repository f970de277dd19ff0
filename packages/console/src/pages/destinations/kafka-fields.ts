import { caCertificate, type KindField } from './shared-fields.ts'

/** The settings of destinations of type `kafka`, in the order of the form. */
export const kafkaFields = [
  { name: 'brokers', label: 'Brokers', help: 'For example kafka-1.example.com:9093,kafka-2.example.com:9093.' },
  { name: 'topic', label: 'Topic', help: 'It must exist.' },
  { name: 'tls', label: 'TLS', help: 'Default: yes.', input: 'boolean', optional: true },
  {
    name: 'partitionKeyTemplate',
    label: 'Key',
    help: "A JMESPath expression, for example join('_', [data.groupRef, data.objectName]). Default: the id of the installation, or the record.",
    optional: true,
  },
  {
    name: 'layout',
    label: 'Records of the topic',
    help: 'messages: one for each message. records: one for each record of a provider. Default: messages.',
    input: 'choice',
    choices: ['messages', 'records'],
    optional: true,
  },
  {
    name: 'tombstones',
    label: 'Tombstones',
    help: 'Only for records: after a deletion, a record without a value, for topics with log compaction. Default: no.',
    input: 'boolean',
    optional: true,
  },
  {
    name: 'saslMechanism',
    label: 'Authentication',
    help: 'Default: plain, if there is a user.',
    input: 'choice',
    choices: ['plain', 'scram-sha-256', 'scram-sha-512'],
    optional: true,
  },
  caCertificate,
  {
    name: 'format',
    label: 'Format',
    help: 'Default: json.',
    input: 'choice',
    choices: ['json', 'avro'],
    optional: true,
  },
  {
    name: 'schemaRegistryUrl',
    label: 'Schema registry',
    help: 'Only for avro, for example https://schemas.example.com.',
    optional: true,
  },
  {
    name: 'subjectNameStrategy',
    label: 'Subjects',
    help: 'Only for avro. Default: topicRecord.',
    input: 'choice',
    choices: ['topicRecord', 'record'],
    optional: true,
  },
  { name: 'username', label: 'User', isSecret: true, optional: true },
  { name: 'password', label: 'Password', isSecret: true, optional: true },
  { name: 'registryUsername', label: 'User at the schema registry', isSecret: true, optional: true },
  { name: 'registryPassword', label: 'Password at the schema registry', isSecret: true, optional: true },
] satisfies readonly KindField[]
