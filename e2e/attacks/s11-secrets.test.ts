import { attack } from './s11-secrets.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
