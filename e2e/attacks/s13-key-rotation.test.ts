import { attack } from './s13-key-rotation.ts'
import { testAttack } from './test-attack.testkit.ts'

testAttack(attack)
