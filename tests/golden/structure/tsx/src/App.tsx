import { Button } from './Button';

export const App = (props: { button: Button }) => {
  props.button.press();
  const one = new Button();
  one.press();
  return <Button />;
};
