import { attack } from './s12-envelope.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
